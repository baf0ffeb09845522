import type { Joined } from '../../approvals/alike.ts'
import { isUndecided } from '../../approvals/calls.ts'
import type { InboxItem } from '../../data/inbox.ts'
import type { RowItem } from './words.tsx'

/** A call, or any other item. */
export type Entry = ({ key: string } & Joined) | { key: string; item: RowItem }

export type Group = {
  title: string
  /** Calls that are decided do not count. */
  open: number
  /** The place of the first entry in the whole list. */
  first: number
  entries: readonly Entry[]
}

const groups: readonly (readonly [title: string, ...kinds: readonly InboxItem['kind'][]])[] = [
  ['Needs approval', 'approval'],
  ['Questions', 'question'],
  ['Failed', 'failure'],
  ['Waiting', 'hold', 'budget', 'runner'],
  ['Webhooks', 'webhook'],
  ['Results to review', 'result'],
]

const kindOf = (entry: Entry): InboxItem['kind'] => ('call' in entry ? 'approval' : entry.item.kind)

const openCount = (entry: Entry): number => {
  if (!('call' in entry)) return 1
  if (!isUndecided(entry.call)) return 0
  return entry.alike?.isExpanded === false ? entry.alike.count : 1
}

/** The entries under the headings of the inbox; within a group they keep their order. */
export const grouped = (entries: readonly Entry[]): readonly Group[] => {
  let first = 0
  return groups.flatMap(([title, ...kinds]) => {
    const own = entries.filter((entry) => kinds.includes(kindOf(entry)))
    if (own.length === 0) return []
    const group = { title, open: own.reduce((sum, entry) => sum + openCount(entry), 0), first, entries: own }
    first += own.length
    return group
  })
}
