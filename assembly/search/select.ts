// Finds the smallest of a list of u64 keys, and sorts lists. All keys are different.

/** Moves the `k` smallest of `length` keys to the front, in no order (Hoare's selection). */
export function select(keys: usize, length: i32, k: i32): void {
  let left = 0, right = length - 1;
  while (left < right) {
    const pivot = load<u64>(keys + (<usize> (k - 1) << 3));
    let i = left, j = right;
    do {
      while (load<u64>(keys + (<usize> i << 3)) < pivot) i++;
      while (pivot < load<u64>(keys + (<usize> j << 3))) j--;
      if (i <= j) {
        const a = keys + (<usize> i << 3), c = keys + (<usize> j << 3);
        const swap = load<u64>(a);
        store<u64>(a, load<u64>(c));
        store<u64>(c, swap);
        i++;
        j--;
      }
    } while (i <= j);
    if (j < k - 1) left = i;
    if (k - 1 < i) right = j;
  }
}

/**
 * Sorts `length` keys in ascending order: into buckets by their upper 32 bits, as many as keys or up to twice as many, then by
 * insertion. `scratch`: 16 bytes for each key, and 16.
 */
export function sort(keys: usize, length: i32, scratch: usize): void {
  if (length < 2) return;
  const end = keys + (<usize> length << 3), bits = 32 - <i32> clz(length), spread = scratch + (<usize> 4 << bits) + 8;
  let least = u32.MAX_VALUE, largest: u32 = 0;
  for (let at = keys; at < end; at += 8) {
    least = min(least, load<u32>(at, 4));
    largest = max(largest, load<u32>(at, 4));
  }
  // Bucket n begins at the address in word n + 1; before that, word n + 2 counts its keys.
  const shift = max(0, 32 - <i32> clz(largest - least) - bits);
  memory.fill(scratch, 0, spread - scratch);
  for (let at = keys; at < end; at += 8) {
    const count = scratch + (<usize> ((load<u32>(at, 4) - least) >> shift) << 2);
    store<u32>(count, load<u32>(count, 8) + 1, 8);
  }
  let begin = <u32> spread;
  for (let word = scratch + 4; word < spread; word += 4) {
    begin += load<u32>(word) << 3;
    store<u32>(word, begin);
  }
  for (let at = keys; at < end; at += 8) {
    const key = load<u64>(at), bucket = scratch + (<usize> ((<u32> (key >> 32) - least) >> shift) << 2);
    const to = load<u32>(bucket, 4);
    store<u64>(to, key);
    store<u32>(bucket, to + 8, 4);
  }
  insert(keys, length, spread);
}

/** Copies keys in ascending order; they are nearly in it. */
function insert(keys: usize, length: i32, from: usize): void {
  for (let at = keys, end = keys + (<usize> length << 3); at < end; at += 8, from += 8) {
    const key = load<u64>(from);
    let to = at;
    for (; to > keys && load<u64>(to - 8) > key; to -= 8) store<u64>(to, load<u64>(to - 8));
    store<u64>(to, key);
  }
}
