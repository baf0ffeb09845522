import { Link } from '@tanstack/react-router'
import { RotateCcw, SquareArrowOutUpRight, Trash2 } from 'lucide-react'
import { Button, buttonClass } from '../../components/button.tsx'
import { type Column, rowLinkClass } from '../../components/data-row.tsx'
import { iconsColumn } from '../../components/icons-column.tsx'
import { Tag, type Tone } from '../../components/tag.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { When } from '../../components/when.tsx'
import type { DeadLetter, DeadLetterFilter } from '../../data/dead-letters.ts'
import { useDecision } from './decision.ts'
import { filters } from './filters.ts'

const tones: Readonly<Record<DeadLetter['status'], Tone>> = {
  pending: 'warn',
  resolved: 'good',
  discarded: 'plain',
}

export const LetterState = ({ status }: Pick<DeadLetter, 'status'>) => (
  <Tag tone={tones[status]}>{filters[status]}</Tag>
)

const Title = ({ id, title }: DeadLetter) => (
  <Link
    to="/tasks/queue"
    search={(before) => ({ ...before, item: id })}
    data-row-link
    className={`font-medium ${rowLinkClass}`}
  >
    {startOfLine(title)}
  </Link>
)

/** On phones the cause is a second line. */
const TitleAndCause = (letter: DeadLetter) => (
  <>
    <Title {...letter} />
    <span className="block truncate text-xs text-muted-foreground md:hidden">
      {startOfLine(letter.lastError)}
    </span>
  </>
)

const icon = buttonClass({ kind: 'ghost', size: 'icon' })

const Actions = (letter: DeadLetter) => {
  const { decide, isDeciding } = useDecision(letter)
  return (
    <>
      {letter.status === 'pending' && (
        <>
          <Button
            kind="ghost"
            size="icon"
            title="Retry"
            aria-label="Retry"
            needsService
            disabled={isDeciding}
            onClick={() => decide('retry')}
          >
            <RotateCcw size={14} />
          </Button>
          <Button
            kind="ghost"
            size="icon"
            title="Discard"
            aria-label="Discard"
            needsService
            disabled={isDeciding}
            onClick={() => decide('discard')}
          >
            <Trash2 size={14} />
          </Button>
        </>
      )}
      <Link to="/tasks/$id" params={{ id: letter.taskId }} title="Open the task" className={icon}>
        <SquareArrowOutUpRight size={14} />
        <span className="sr-only">Open the task</span>
      </Link>
    </>
  )
}

const columns: readonly Column<DeadLetter>[] = [
  { id: 'title', header: 'Task', width: 'minmax(0, 2fr)', narrow: 'minmax(0, 1fr)', cell: TitleAndCause },
  {
    id: 'why',
    header: 'Why it failed',
    width: 'minmax(0, 3fr)',
    narrow: null,
    cell: ({ lastError }) => <span title={lastError}>{startOfLine(lastError)}</span>,
  },
  {
    id: 'attempts',
    header: 'Attempts',
    width: '4.5rem',
    narrow: null,
    cell: ({ attempts }) => <span className="text-muted-foreground">{attempts}</span>,
  },
  {
    id: 'failed',
    header: 'Failed',
    width: '5rem',
    narrow: '3.75rem',
    cell: ({ createdAt }) => <When at={createdAt} className="relative z-1 text-muted-foreground" />,
  },
  iconsColumn({ header: 'Actions', count: 3, icons: Actions }),
]

const state: Column<DeadLetter> = {
  id: 'status',
  header: 'State',
  width: '5.5rem',
  narrow: null,
  cell: LetterState,
}
const withState = columns.flatMap((column) => (column.id === 'attempts' ? [state, column] : [column]))

/** A list of one state has no state column. */
export const deadLetterColumns = (status: DeadLetterFilter) => (status === 'all' ? withState : columns)
