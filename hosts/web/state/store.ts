/** Holds a state and calls its watchers. */

/** A state of plain data. It is replaced as a whole, never changed in place. */
export interface Store<State extends object> {
  /** The state as it is now. */
  readonly state: Readonly<State>;
  /** Sets some entries, then calls the watchers of those that got another value. */
  change(changed: Partial<State>): void;
  /** Calls `show` with the state after each change of one of these entries. Watchers are called in the order of these calls. */
  watch(entries: readonly (keyof State)[], show: (state: Readonly<State>) => void): void;
}

/** Makes a store. */
export function openStore<State extends object>(first: State): Store<State> {
  const watchers: { entries: readonly (keyof State)[]; show: (state: Readonly<State>) => void }[] = [];
  let state: Readonly<State> = first;
  return {
    get state() {
      return state;
    },
    change(changed) {
      const before = state;
      state = { ...state, ...changed };
      const differs = (entry: keyof State) => state[entry] !== before[entry];
      for (const { entries, show } of watchers) if (entries.some(differs)) show(state);
    },
    watch(entries, show) {
      watchers.push({ entries, show });
    },
  };
}
