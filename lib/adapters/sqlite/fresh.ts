import type { Fields } from './change.ts'

/** Adds rows to the script, in their order. */
export type AddAll = (rows: readonly Fields[]) => void

/** A row that was added and is not durable yet, and by what it gets into the script. */
export type FreshRow = { addAll: AddAll; within: string; key: string; row: Fields }

export type Fresh = ReturnType<typeof createFresh>

/**
 * Rows of clustered tables that are not durable yet. There are many of them and hardly one is written again within the
 * moment that it takes, so they are only listed; whoever does look for one goes through the lists.
 */
export const createFresh = () => {
  let open: FreshRow[] = []
  let sealed: FreshRow[][] = []
  let accepted = 0
  let characters = 0
  return {
    /** Takes in a row of about so much text. */
    add: (one: FreshRow, size: number): void => {
      open.push(one)
      characters += size
    },
    find: (addAll: AddAll, within: string, key: string): Fields | undefined =>
      [...sealed.flat(), ...open].findLast(
        (one) => one.key === key && one.within === within && one.addAll === addAll,
      )?.row,
    /** About how much text the open rows are. */
    get characters() {
      return characters
    },
    accept: (): void => {
      accepted = open.length
    },
    reject: (): void => {
      open.length = accepted
    },
    /** Adds the open rows to the script. */
    seal: (): void => {
      for (const [addAll, ones] of Map.groupBy(open, (one) => one.addAll)) addAll(ones.map(({ row }) => row))
      sealed.push(open)
      open = []
      accepted = 0
      characters = 0
    },
    /** Scripts become durable in the order they were sealed. */
    settle: (): void => {
      sealed.shift()
    },
    clear: (): void => {
      open = []
      sealed = []
      accepted = 0
      characters = 0
    },
  }
}
