import type { Task } from '../../../../../lib/tasks/schema.ts'

/** `number` counts from 1. */
export type TurnRow = { readonly kind: 'turn'; readonly turn: Task; readonly number: number }
/** Turns in a row that are not shown. */
export type Gap = { readonly kind: 'gap'; readonly turns: readonly Task[] }

/** The latest turns are shown at once, and so many more of a gap on demand. */
const LATEST = 8
const MORE = 20

/** Shows the latest turns, the current one, and those that were asked for. */
export const threadRows = (
  turns: readonly Task[],
  currentId: string,
  asked: ReadonlySet<string>,
): (TurnRow | Gap)[] => {
  const rows: (TurnRow | Gap)[] = []
  let hidden: Task[] = []
  const closeGap = () => {
    if (hidden.length > 0) rows.push({ kind: 'gap', turns: hidden })
    hidden = []
  }
  for (const [at, turn] of turns.entries()) {
    if (at < turns.length - LATEST && turn.id !== currentId && !asked.has(turn.id)) hidden.push(turn)
    else {
      closeGap()
      rows.push({ kind: 'turn', turn, number: at + 1 })
    }
  }
  closeGap()
  return rows
}

/** The turns that a gap shows next: its last ones. */
export const nextOfGap = ({ turns }: Gap): string[] => turns.slice(-MORE).map(({ id }) => id)
