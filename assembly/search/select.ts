// Finds the smallest of a list of u64 keys, and sorts short lists. All keys are different.

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

/** Sorts `length` keys in ascending order (Shell's sort, since lists are short). */
export function sort(keys: usize, length: i32): void {
  let gap = 1;
  while (gap < length / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = (gap - 1) / 3) {
    for (let i = gap; i < length; i++) {
      const key = load<u64>(keys + (<usize> i << 3));
      let j = i;
      while (j >= gap && load<u64>(keys + (<usize> (j - gap) << 3)) > key) {
        store<u64>(keys + (<usize> j << 3), load<u64>(keys + (<usize> (j - gap) << 3)));
        j -= gap;
      }
      store<u64>(keys + (<usize> j << 3), key);
    }
  }
}
