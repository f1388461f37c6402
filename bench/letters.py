"""Renders the capitals of all Latin fonts of this machine as 28x28 pictures, for `deno task worth`.

    python3 bench/letters.py DIR

Needs fontconfig and Pillow. A letter is scaled to 20 pixels, and centred, as the digits of MNIST are. The letters of every fourth
font go to DIR/test, the others to DIR/train. Fonts whose capitals are those of an earlier font are left out.

The 217 fonts of docs/worth.md are those of these packages of Debian 12: fonts-cabin, fonts-cantarell, fonts-comfortaa,
fonts-crosextra-caladea, fonts-crosextra-carlito, fonts-dejavu-core, fonts-dejavu-extra, fonts-ebgaramond, fonts-freefont-ttf,
fonts-inconsolata, fonts-junicode, fonts-lato, fonts-liberation, fonts-linuxlibertine, fonts-open-sans, fonts-quicksand,
fonts-roboto-unhinted, fonts-urw-base35.
"""
import hashlib, os, string, subprocess, sys
from PIL import Image, ImageDraw, ImageFont

SIDE, LARGEST = 28, 20
# Fonts without letters of their own.
OTHERS = ("symbol", "dingbat", "fallback", "emoji", "d050000l")


def letter(font, character):
    """Returns the picture of one letter; None if the font has none."""
    drawn = Image.new("L", (160, 160))
    ImageDraw.Draw(drawn).text((40, 30), character, 255, font=font)
    box = drawn.getbbox()
    if not box:
        return None
    cut, picture = drawn.crop(box), Image.new("L", (SIDE, SIDE))
    scale = LARGEST / max(cut.size)
    width, height = (max(1, round(side * scale)) for side in cut.size)
    picture.paste(cut.resize((width, height), Image.LANCZOS), ((SIDE - width) // 2, (SIDE - height) // 2))
    return picture


listed = subprocess.check_output(["fc-list", ":lang=en", "--format", "%{file}|%{index}|%{family[0]}|%{style[0]}\n"], text=True)
seen = set()
for line in sorted(listed.splitlines()):
    file, index, family, _ = line.split("|")
    if not file.endswith((".ttf", ".otf")) or any(word in family.lower() for word in OTHERS):
        continue
    font = ImageFont.truetype(file, 64, index=int(index) & 0xFFFF)
    letters = [letter(font, character) for character in string.ascii_uppercase]
    if None in letters:
        continue
    key = hashlib.md5(b"".join(picture.tobytes() for picture in letters)).hexdigest()
    if key in seen:
        continue
    seen.add(key)
    for character, picture in zip(string.ascii_uppercase, letters):
        folder = os.path.join(sys.argv[1], "train" if len(seen) % 4 else "test", character)
        os.makedirs(folder, exist_ok=True)
        picture.save(os.path.join(folder, f"{len(seen):03d}.png"))
print(len(seen), "fonts")
