import { type Column, rowLinkClass } from '../../components/data-row.tsx'
import { Person } from '../../components/person.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { When } from '../../components/when.tsx'
import type { AuditRecord } from '../../data/audit.ts'
import { actionLabel, detailsLine } from './actions.ts'

export const columnsWith = (open: (id: string) => void): readonly Column<AuditRecord>[] => [
  {
    id: 'when',
    header: 'When',
    width: '5rem',
    narrow: '4rem',
    cell: ({ timestamp }) => <When at={timestamp} className="relative z-1 text-muted-foreground" />,
  },
  {
    id: 'action',
    header: 'What',
    width: '13rem',
    narrow: 'minmax(0, 1fr)',
    cell: ({ id, action, details }) => (
      <button
        type="button"
        data-row-link
        title={action}
        className={`max-w-full truncate text-left font-medium ${rowLinkClass}`}
        onClick={() => open(id)}
      >
        <span className={action === 'auth.refused' ? 'text-failed' : ''}>{actionLabel(action)}</span>
        <span className="block truncate text-xs font-normal text-muted-foreground md:hidden">
          {startOfLine(detailsLine(details))}
        </span>
      </button>
    ),
  },
  {
    id: 'user',
    header: 'By',
    width: '11rem',
    narrow: '6.5rem',
    cell: ({ userId }) => <Person id={userId} />,
  },
  {
    id: 'details',
    header: 'Details',
    width: 'minmax(0, 1fr)',
    narrow: null,
    cell: ({ details }) => <span className="text-muted-foreground">{startOfLine(detailsLine(details))}</span>,
  },
]
