/**
 * The minimum cut of a grid: which of two things each pixel takes, so that the sum of what single pixels and what neighbouring ones
 * cost is least (Boykov and Kolmogorov, "An Experimental Comparison of Min-Cut/Max-Flow Algorithms for Energy Minimization in
 * Vision", 2004). Two search trees grow from both terminals; where they meet, flow is sent, and what lost its path to a terminal
 * finds another one.
 */
import { areaOf, type Size } from "../../core/shape.ts";

/** A graph of pixels, each joined with those on its right, on its left, below and above. The capacities are used up. */
export interface GridGraph extends Size {
  /** height x width: above 0 the capacity from the source to the pixel; below 0, negated, that from the pixel to the sink. */
  readonly terminals: Float64Array;
  /** height x width each, by direction (right, left, below, above): the capacity to the neighbour there; >= 0, 0 at the edges. */
  readonly capacities: readonly [Float64Array, Float64Array, Float64Array, Float64Array];
}

/** The trees that a pixel may be in. */
const FREE = 0, SOURCE = 1, SINK = 2;
/** What stands for a direction to a parent: there is none; it is the terminal; it was lost. */
const NONE = -1, TERMINAL = -2, LOST = -3;

/** Cuts a grid. Returns for each pixel 1 if it lies on the sink's side; 0 for pixels that reach no terminal. */
export function gridCut(graph: GridGraph): Uint8Array {
  const trees = new Trees(graph);
  for (let pixel = trees.nextActive(); pixel >= 0; pixel = trees.nextActive()) {
    const direction = trees.grow(pixel);
    if (direction === NONE) trees.passivate();
    else trees.augment(pixel, direction);
  }
  return trees.tree.map((tree) => tree === SINK ? 1 : 0);
}

/** Both search trees. A direction d leads to the neighbour `steps[d]` further on; d ^ 1 leads back. */
class Trees {
  readonly tree: Uint8Array;
  readonly #terminals: Float64Array;
  readonly #capacities: GridGraph["capacities"];
  readonly #steps: readonly number[];
  readonly #width: number;
  /** The direction to each pixel's parent in its tree. */
  readonly #parent: Int8Array;
  /** How many pixels lie between a pixel and its terminal, as far as that was found out in round `#seen`. */
  readonly #distance: Int32Array;
  readonly #seen: Int32Array;
  #round = 1;
  /** The pixels that may have neighbours to grow to, in a ring: each is in it once at the most. */
  readonly #active: Int32Array;
  readonly #isActive: Uint8Array;
  #first = 0;
  #count = 0;
  readonly #lost: number[] = [];

  constructor({ height, width, terminals, capacities }: GridGraph) {
    const area = areaOf({ height, width });
    this.#terminals = terminals;
    this.#capacities = capacities;
    this.#steps = [1, -1, width, -width];
    this.#width = width;
    this.tree = new Uint8Array(area);
    this.#parent = new Int8Array(area).fill(NONE);
    this.#distance = new Int32Array(area);
    this.#seen = new Int32Array(area);
    this.#active = new Int32Array(area);
    this.#isActive = new Uint8Array(area);
    for (let pixel = 0; pixel < area; pixel++) {
      if (terminals[pixel] === 0) continue;
      this.tree[pixel] = terminals[pixel] > 0 ? SOURCE : SINK;
      this.#parent[pixel] = TERMINAL;
      this.#distance[pixel] = 1;
      this.#activate(pixel);
    }
  }

  /** The pixel that is to grow; -1 if there is none. */
  nextActive(): number {
    while (this.#count > 0) {
      const pixel = this.#active[this.#first];
      if (this.tree[pixel] !== FREE) return pixel;
      this.passivate();
    }
    return -1;
  }

  /** Takes the pixel that is to grow out of the ring. */
  passivate(): void {
    this.#isActive[this.#active[this.#first]] = 0;
    this.#first = (this.#first + 1) % this.#active.length;
    this.#count--;
  }

  /** Adds free neighbours of a pixel to its tree. Returns the direction in which it meets the other tree, if it does. */
  grow(pixel: number): number {
    const tree = this.tree[pixel];
    for (let direction = 0; direction < 4; direction++) {
      const next = this.#neighbour(pixel, direction);
      if (next < 0 || this.#rest(pixel, direction, tree) <= 0) continue;
      if (this.tree[next] !== FREE) {
        if (this.tree[next] !== tree) return direction;
        continue;
      }
      this.tree[next] = tree;
      this.#parent[next] = direction ^ 1;
      this.#distance[next] = this.#distance[pixel] + 1;
      this.#seen[next] = this.#seen[pixel];
      this.#activate(next);
    }
    return NONE;
  }

  /** Sends as much flow as the path can carry that meets between a pixel and its neighbour. */
  augment(pixel: number, direction: number): void {
    this.#round++;
    const isSource = this.tree[pixel] === SOURCE, other = pixel + this.#steps[direction];
    const [source, sink, across] = isSource ? [pixel, other, direction] : [other, pixel, direction ^ 1];
    const meeting = this.#capacities[across];
    const flow = Math.min(meeting[source], this.#least(source, SOURCE), this.#least(sink, SINK));
    meeting[source] -= flow;
    this.#capacities[across ^ 1][sink] += flow;
    this.#send(source, SOURCE, flow);
    this.#send(sink, SINK, flow);
    for (let i = 0; i < this.#lost.length; i++) this.#adopt(this.#lost[i]);
    this.#lost.length = 0;
  }

  #activate(pixel: number): void {
    if (this.#isActive[pixel]) return;
    this.#isActive[pixel] = 1;
    this.#active[(this.#first + this.#count) % this.#active.length] = pixel;
    this.#count++;
  }

  /** -1 if there is none. */
  #neighbour(pixel: number, direction: number): number {
    const next = pixel + this.#steps[direction];
    if (next < 0 || next >= this.tree.length) return -1;
    if (direction === 0) return next % this.#width === 0 ? -1 : next;
    return direction === 1 && pixel % this.#width === 0 ? -1 : next;
  }

  /** How much can flow between a pixel and its neighbour: in the source's tree to it, in the sink's from it. */
  #rest(pixel: number, direction: number, tree: number): number {
    if (tree === SOURCE) return this.#capacities[direction][pixel];
    return this.#capacities[direction ^ 1][pixel + this.#steps[direction]];
  }

  /** How much can flow between a pixel and its terminal. */
  #least(pixel: number, tree: number): number {
    let least = Infinity, at = pixel;
    for (;;) {
      const direction = this.#parent[at];
      if (direction === TERMINAL) return Math.min(least, Math.abs(this.#terminals[at]));
      const parent = at + this.#steps[direction];
      least = Math.min(least, this.#rest(parent, direction ^ 1, tree));
      at = parent;
    }
  }

  /** Sends flow between a pixel and its terminal. Pixels whose way is used up are lost. */
  #send(pixel: number, tree: number, flow: number): void {
    let at = pixel;
    for (;;) {
      const direction = this.#parent[at];
      if (direction === TERMINAL) {
        this.#terminals[at] += tree === SOURCE ? -flow : flow;
        if (tree === SOURCE ? this.#terminals[at] <= 0 : this.#terminals[at] >= 0) this.#lose(at);
        return;
      }
      const parent = at + this.#steps[direction], isSource = tree === SOURCE;
      const [from, to, way] = isSource ? [parent, at, direction ^ 1] : [at, parent, direction];
      this.#capacities[way][from] -= flow;
      this.#capacities[way ^ 1][to] += flow;
      if (this.#capacities[way][from] <= 0) this.#lose(at);
      at = parent;
    }
  }

  #lose(pixel: number): void {
    if (this.#parent[pixel] === TERMINAL) this.#terminals[pixel] = 0;
    this.#parent[pixel] = LOST;
    this.#lost.push(pixel);
  }

  /** Finds a pixel that was lost the parent nearest to the terminal; if there is none, it is free, and its children are lost. */
  #adopt(pixel: number): void {
    const tree = this.tree[pixel];
    let best = NONE, least = Infinity;
    for (let direction = 0; direction < 4; direction++) {
      const next = this.#neighbour(pixel, direction);
      if (next < 0 || this.tree[next] !== tree || this.#rest(next, direction ^ 1, tree) <= 0) continue;
      const distance = this.#toTerminal(next);
      if (distance < least) [best, least] = [direction, distance];
    }
    if (best !== NONE) {
      this.#parent[pixel] = best;
      this.#seen[pixel] = this.#round;
      this.#distance[pixel] = least + 1;
      return;
    }
    for (let direction = 0; direction < 4; direction++) {
      const next = this.#neighbour(pixel, direction);
      if (next < 0 || this.tree[next] !== tree) continue;
      if (this.#rest(next, direction ^ 1, tree) > 0) this.#activate(next);
      if (this.#parent[next] === (direction ^ 1)) this.#lose(next);
    }
    this.tree[pixel] = FREE;
    this.#parent[pixel] = NONE;
  }

  /** How many pixels lie between a pixel and its terminal; Infinity if it was cut off. */
  #toTerminal(pixel: number): number {
    let length = 0, at = pixel;
    while (this.#seen[at] !== this.#round) {
      const direction = this.#parent[at];
      length++;
      if (direction === TERMINAL) {
        this.#seen[at] = this.#round;
        this.#distance[at] = 1;
        length--;
        break;
      }
      if (direction < 0) return Infinity;
      at += this.#steps[direction];
    }
    length += this.#distance[at];
    let distance = length;
    for (let on = pixel; this.#seen[on] !== this.#round; on += this.#steps[this.#parent[on]]) {
      this.#seen[on] = this.#round;
      this.#distance[on] = distance--;
    }
    return length;
  }
}
