import { Link } from '@tanstack/react-router'
import { FileDiff } from 'lucide-react'
import { parsedDiff } from '../../components/diff-files.ts'
import { formatNumber } from '../../components/format.ts'
import { startOfLine } from '../../components/text-weight.ts'
import { isCutOff } from './apply-commands.ts'

export type Change = { path: string; additions: number; deletions: number }

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** Results come from agents and may hold anything. */
const reportedChanges = (list: unknown): Change[] =>
  (Array.isArray(list) ? list : []).flatMap((each) => {
    const { path, additions, deletions } = Object(each)
    if (typeof path !== 'string') return []
    return [
      { path, additions: isCount(additions) ? additions : 0, deletions: isCount(deletions) ? deletions : 0 },
    ]
  })

const countedChanges = ({ diff, filesChanged }: Readonly<Record<string, unknown>>): readonly Change[] => {
  if (typeof diff === 'string' && diff !== '' && !isCutOff(diff)) {
    const { files } = parsedDiff(diff)
    if (files.length > 0)
      return files.map(({ path, added, removed }) => ({ path, additions: added, deletions: removed }))
  }
  return reportedChanges(filesChanged)
}

const counted = new WeakMap<object, readonly Change[]>()

/** Counted in the diff that is shown. What the agent reported counts only where there is no whole diff. */
export const changesIn = (result: Readonly<Record<string, unknown>> | undefined): readonly Change[] => {
  if (result === undefined) return []
  const known = counted.get(result)
  if (known !== undefined) return known
  const changes = countedChanges(result)
  counted.set(result, changes)
  return changes
}

/** The sums of changes, `+12 −4`. */
export const ChangeSums = ({ changes }: { changes: readonly Change[] }) => {
  const sum = (count: (change: Change) => number) =>
    formatNumber(changes.reduce((total, change) => total + count(change), 0))
  return (
    <span className="flex shrink-0 gap-1.5 font-mono text-xs">
      <span className="text-completed">+{sum(({ additions }) => additions)}</span>
      <span className="text-failed">−{sum(({ deletions }) => deletions)}</span>
    </span>
  )
}

export const filesText = (count: number): string => (count === 1 ? '1 file' : `${formatNumber(count)} files`)

const MOST_NAMED = 3

type Props = {
  task: { id: string; result?: Readonly<Record<string, unknown>> | undefined }
  /** The attempt whose changes these are; absent for those of the task. */
  attempt?: string
}

/** Links to the changes of a turn. Renders nothing if no files changed. */
export const ChangedFiles = ({ task, attempt }: Props) => {
  const changes = changesIn(task.result)
  if (changes.length === 0) return null
  const rest = changes.length - MOST_NAMED
  const names = changes.slice(0, MOST_NAMED).map(({ path }) => startOfLine(path))
  return (
    <Link
      to="/tasks/$id"
      params={{ id: task.id }}
      search={{ tab: 'changes', ...(attempt === undefined ? {} : { attempt }) }}
      className="flex min-w-0 items-center gap-2 border-t px-3.5 [.divide-y>&]:border-t-0 py-2 hover:bg-muted"
    >
      <FileDiff size={14} aria-hidden className="shrink-0 text-muted-foreground" />
      <span className="shrink-0 font-medium underline underline-offset-2">
        {filesText(changes.length)} changed
      </span>
      <ChangeSums changes={changes} />
      <span className="min-w-0 truncate font-mono text-xs text-muted-foreground">
        {names.join(', ')}
        {rest > 0 && `, and ${formatNumber(rest)} more`}
      </span>
    </Link>
  )
}
