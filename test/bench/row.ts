/** One line of the table: our figure, what it is held against, and whether their ratio meets the target. */
export type Row = {
  measure: string
  unit: string
  ours: number
  against: number
  /** What `against` is: the peer, a bare server, a small store, a fixed limit. */
  opponent: string
  ratio: number
  target: string
  pass: boolean
  /** The figures of the single rounds that the two medians stand for. */
  rounds?: { ours: readonly number[]; against: readonly number[] }
}

type Held = Pick<Row, 'measure' | 'unit' | 'ours' | 'against' | 'opponent' | 'rounds'>

/** More is better: ours must be at least `factor` times the other. */
export const atLeast = (factor: number, held: Held): Row => {
  const ratio = held.ours / held.against
  return { ...held, ratio, target: `≥ ${factor} ×`, pass: ratio >= factor }
}

/** Less is better: ours must be at most `factor` times the other. */
export const atMost = (factor: number, held: Held): Row => {
  const ratio = held.ours / held.against
  return { ...held, ratio, target: `≤ ${factor} ×`, pass: ratio <= factor }
}
