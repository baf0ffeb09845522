import { type Column, rowLinkClass } from '../../components/data-row.tsx'
import { Person } from '../../components/person.tsx'
import { formatDuration } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { When } from '../../components/when.tsx'
import type { ToolCallEntry } from '../../data/security.ts'
import { DecisionTag, isExpired } from './decisions.tsx'

const person: Column<ToolCallEntry> = {
  id: 'user',
  header: 'For',
  width: '9rem',
  narrow: null,
  cell: ({ userId }) => <Person id={userId} />,
}

/** `hasPeople`: the list has calls of other users. */
export const columnsWith = (
  open: (id: string) => void,
  hasPeople: boolean,
): readonly Column<ToolCallEntry>[] => [
  {
    id: 'when',
    header: 'When',
    width: '5rem',
    narrow: '4rem',
    cell: ({ timestamp }) => <When at={timestamp} className="relative z-1 text-muted-foreground" />,
  },
  {
    id: 'tool',
    header: 'Tool',
    width: '9rem',
    narrow: 'minmax(0, 1fr)',
    cell: ({ id, tool, arguments: given }) => (
      <button
        type="button"
        data-row-link
        className={`max-w-full truncate text-left font-mono font-medium ${rowLinkClass}`}
        onClick={() => open(id)}
      >
        {tool}
        <span className="block truncate text-xs font-normal text-muted-foreground md:hidden">
          {visibleText(String(given))}
        </span>
      </button>
    ),
  },
  { id: 'decision', header: 'Decision', width: '5.5rem', narrow: '5.5rem', cell: DecisionTag },
  {
    id: 'arguments',
    header: 'Arguments',
    width: 'minmax(0, 3fr)',
    narrow: null,
    cell: ({ arguments: given }) => (
      <span className="font-mono text-xs text-muted-foreground">{visibleText(String(given))}</span>
    ),
  },
  {
    id: 'result',
    header: 'Result',
    width: 'minmax(0, 2fr)',
    narrow: null,
    cell: (entry) => (
      <span
        className={
          entry.failed && entry.decision !== 'pending' && !isExpired(entry)
            ? 'text-failed'
            : 'text-muted-foreground'
        }
      >
        {visibleText(entry.result)}
      </span>
    ),
  },
  ...(hasPeople ? [person] : []),
  {
    id: 'took',
    header: 'Took',
    width: '4rem',
    narrow: null,
    cell: ({ durationMs }) => <span className="text-muted-foreground">{formatDuration(durationMs)}</span>,
  },
]
