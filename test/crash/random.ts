/** Numbers of [0, 1) that a seed decides (mulberry32). */
export const seededRandom = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number of 0 to `most`. */
export const upTo = (most: number, random: () => number): number => Math.floor(random() * (most + 1))
