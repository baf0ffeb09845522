import type { Approval } from '../data/approvals.ts'
import { type Call, isUndecided } from './calls.ts'

/** Calls of one tool with the same arguments that wait in several tasks or conversations. */
export type Alike = { id: string; count: number; words: string; isExpanded: boolean }

export type Joined = { call: Call; alike?: Alike }

const alikeKey = ({ toolName, params }: Approval): string => `${toolName} ${JSON.stringify(params)}`

const counted = (count: number, [one, several]: readonly [string, string]) =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : several}`]

/** `3 conversations`, `1 task and 2 conversations`; undefined for those of one. */
const sessionWords = (calls: readonly Call[]): string | undefined => {
  const tasks = new Set(calls.flatMap(({ approval: { taskId } }) => taskId ?? [])).size
  const conversations = new Set(
    calls.flatMap(({ approval: { taskId, conversationId } }) => (taskId ? [] : (conversationId ?? []))),
  ).size
  if (tasks + conversations < 2) return undefined
  return [
    ...counted(tasks, ['task', 'tasks']),
    ...counted(conversations, ['conversation', 'conversations']),
  ].join(' and ')
}

/**
 * Undecided calls that are alike, behind the first of them: each keeps its own decision. The others are listed where they are expanded, or
 * one of them is the current one.
 */
export const joinedCalls = (
  calls: readonly Call[],
  expanded: ReadonlySet<string>,
  isCurrent: (call: Call) => boolean,
): readonly Joined[] => {
  const groups = Map.groupBy(calls.filter(isUndecided), ({ approval }) => alikeKey(approval))
  return calls.flatMap((call): readonly Joined[] => {
    const key = alikeKey(call.approval)
    const group = isUndecided(call) ? (groups.get(key) ?? []) : []
    const words = sessionWords(group)
    if (words === undefined) return [{ call }]
    const [first, ...others] = group
    if (call !== first) return []
    const isExpanded = expanded.has(key) || others.some(isCurrent)
    return [
      { call, alike: { id: key, count: group.length, words, isExpanded } },
      ...(isExpanded ? others.map((other) => ({ call: other })) : []),
    ]
  })
}
