import type { Fields } from './change.ts'

/** A row that was added and is not durable yet. */
export type FreshRow = { table: string; within: string; key: string; row: Fields }

export type Fresh = ReturnType<typeof createFresh>

/**
 * Rows of clustered tables that are not durable yet. There are many of them and hardly one is written again within the
 * moment that it takes, so they are only listed; whoever does look for one goes through the lists.
 */
export const createFresh = () => {
  let open: FreshRow[] = []
  let sealed: FreshRow[][] = []
  let accepted = 0
  return {
    add: (table: string, within: string, key: string, row: Fields): void => {
      open.push({ table, within, key, row })
    },
    find: (table: string, within: string, key: string): Fields | undefined =>
      [...sealed.flat(), ...open].findLast(
        (one) => one.key === key && one.within === within && one.table === table,
      )?.row,
    accept: (): void => {
      accepted = open.length
    },
    reject: (): void => {
      open.length = accepted
    },
    seal: (): void => {
      sealed.push(open)
      open = []
      accepted = 0
    },
    /** Scripts become durable in the order they were sealed. */
    settle: (): void => {
      sealed.shift()
    },
    clear: (): void => {
      open = []
      sealed = []
      accepted = 0
    },
  }
}
