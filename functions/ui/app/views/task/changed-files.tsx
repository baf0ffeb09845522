import { Link } from '@tanstack/react-router'
import { FileDiff } from 'lucide-react'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { formatNumber } from '../../components/format.ts'
import { startOfLine } from '../../components/text-weight.ts'

type Change = { path: string; additions: number; deletions: number }

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** Results come from agents and may hold anything. */
const changesIn = (result: Task['result']): Change[] => {
  const list = result?.filesChanged
  return (Array.isArray(list) ? list : []).flatMap((each) => {
    const { path, additions, deletions } = Object(each)
    if (typeof path !== 'string') return []
    return [
      { path, additions: isCount(additions) ? additions : 0, deletions: isCount(deletions) ? deletions : 0 },
    ]
  })
}

const MOST_NAMED = 3

/** Links to the changes of a turn. Renders nothing if no files changed. */
export const ChangedFiles = ({ task }: { task: Task }) => {
  const changes = changesIn(task.result)
  if (changes.length === 0) return null
  const sum = (count: (change: Change) => number) =>
    formatNumber(changes.reduce((total, change) => total + count(change), 0))
  const rest = changes.length - MOST_NAMED
  const names = changes.slice(0, MOST_NAMED).map(({ path }) => startOfLine(path))
  return (
    <Link
      to="/tasks/$id"
      params={{ id: task.id }}
      search={{ tab: 'changes' }}
      className="flex min-w-0 items-center gap-2 px-3.5 py-2 hover:bg-muted"
    >
      <FileDiff size={14} aria-hidden className="shrink-0 text-muted-foreground" />
      <span className="shrink-0 font-medium underline underline-offset-2">
        {changes.length === 1 ? '1 file changed' : `${formatNumber(changes.length)} files changed`}
      </span>
      <span className="flex shrink-0 gap-1.5 font-mono text-xs">
        <span className="text-completed">+{sum(({ additions }) => additions)}</span>
        <span className="text-failed">−{sum(({ deletions }) => deletions)}</span>
      </span>
      <span className="min-w-0 truncate font-mono text-xs text-muted-foreground">
        {names.join(', ')}
        {rest > 0 && `, and ${formatNumber(rest)} more`}
      </span>
    </Link>
  )
}
