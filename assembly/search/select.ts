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
 * Sorts `length` keys in ascending order: by two digits of their upper 32 bits, the lower one first, each with half as many values
 * as keys or up to as many, then by insertion. `scratch`: 16 bytes for each key, and 16.
 */
export function sort(keys: usize, length: i32, scratch: usize): void {
  if (length < 2) return;
  const end = keys + (<usize> length << 3), bits = 31 - <i32> clz(length), apart = <usize> 4 << bits;
  const spread = scratch + (<usize> length << 3), middle = spread + apart;
  // The last two keys may be read twice.
  let smallest = v128.load(end - 16), greatest = smallest;
  for (let at = keys; at < end - 8; at += 16) {
    const two = v128.load(at);
    smallest = i32x4.min_u(smallest, two);
    greatest = i32x4.max_u(greatest, two);
  }
  const least = min(<u32> i32x4.extract_lane(smallest, 1), <u32> i32x4.extract_lane(smallest, 3));
  const largest = max(<u32> i32x4.extract_lane(greatest, 1), <u32> i32x4.extract_lane(greatest, 3));
  const shift = max(0, 32 - <i32> clz(largest - least) - 2 * bits), digit: u32 = (1 << bits) - 1;
  // Each value's word counts its keys, and is then the address of its next key.
  memory.fill(spread, 0, 2 * apart);
  for (let at = keys; at < end; at += 8) {
    const place = (load<u32>(at, 4) - least) >> shift, low = spread + (<usize> (place & digit) << 2);
    const high = middle + (<usize> (place >> bits) << 2);
    store<u32>(low, load<u32>(low) + 8);
    store<u32>(high, load<u32>(high) + 8);
  }
  let toLow = <u32> scratch, toHigh = <u32> keys;
  for (let word = spread; word < middle; word += 4) {
    const low = load<u32>(word), high = load<u32>(word + apart);
    store<u32>(word, toLow);
    store<u32>(word + apart, toHigh);
    toLow += low;
    toHigh += high;
  }
  for (let at = keys; at < end; at += 8) {
    const key = load<u64>(at), word = spread + (<usize> (((<u32> (key >> 32) - least) >> shift) & digit) << 2);
    const to = load<u32>(word);
    store<u64>(to, key);
    store<u32>(word, to + 8);
  }
  for (let at = scratch; at < spread; at += 8) {
    const key = load<u64>(at), word = middle + (<usize> ((<u32> (key >> 32) - least) >> shift >> bits) << 2);
    const to = load<u32>(word);
    store<u64>(to, key);
    store<u32>(word, to + 8);
  }
  insert(keys, end);
}

/** Sorts keys that are nearly in ascending order. */
function insert(keys: usize, end: usize): void {
  let largest = load<u64>(keys);
  for (let at = keys + 8; at < end; at += 8) {
    const key = load<u64>(at);
    if (key > largest) {
      largest = key;
      continue;
    }
    let to = at;
    for (; to > keys && load<u64>(to - 8) > key; to -= 8) store<u64>(to, load<u64>(to - 8));
    store<u64>(to, key);
  }
}
