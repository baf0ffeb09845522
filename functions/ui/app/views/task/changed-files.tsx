import { Link } from '@tanstack/react-router'
import { FileDiff } from 'lucide-react'
import { type Change, changesIn, changeTotals } from '../../../../../lib/core/changed-files.ts'
import { ChangeSums } from '../../components/change-sums.tsx'
import { formatNumber } from '../../components/format.ts'
import { parsedDiff } from '../../components/parsed-diff.ts'
import { startOfLine } from '../../components/text-weight.ts'

const counted = new WeakMap<object, readonly Change[]>()

export const changesOf = (result: Readonly<Record<string, unknown>> | undefined): readonly Change[] => {
  if (result === undefined) return []
  const known = counted.get(result)
  if (known !== undefined) return known
  const changes = changesIn(result, parsedDiff)
  counted.set(result, changes)
  return changes
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
  const changes = changesOf(task.result)
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
      <ChangeSums {...changeTotals(changes)} />
      <span className="min-w-0 truncate font-mono text-xs text-muted-foreground">
        {names.join(', ')}
        {rest > 0 && `, and ${formatNumber(rest)} more`}
      </span>
    </Link>
  )
}
