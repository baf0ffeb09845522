import { Link } from '@tanstack/react-router'
import { type Column, rowLinkClass } from '../../components/data-row.tsx'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { Tag } from '../../components/tag.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { When } from '../../components/when.tsx'
import { useExperiences } from '../../data/memory.ts'
import { type Experience, ExperienceDialog, kinds } from './experience-dialog.tsx'

export const Experiences = ({ q }: { q: string | undefined }) => {
  const pages = useExperiences(q)
  return (
    <>
      <PagedTable
        label="Experiences"
        columns={columns}
        pages={pages}
        empty={q === undefined ? <None /> : <Empty title="No similar experience">Try other words.</Empty>}
      />
      <ExperienceDialog />
    </>
  )
}

const None = () => (
  <Empty
    title="No experiences yet"
    curl={`curl -X POST ${location.origin}/api/memory/experiences -H 'content-type: application/json' \\\n  -d '{"type": "task_solution", "intent": "Tests of the parser", "solution": "Run them one by one"}'`}
  >
    Agents record what worked, and use it in similar tasks.
  </Empty>
)

const WHOLE = 100
const quiet = 'text-muted-foreground'

const columns: readonly Column<Experience>[] = [
  {
    id: 'intent',
    header: 'Goal',
    width: 'minmax(0, 1fr)',
    cell: ({ id, intent }) => (
      <Link
        to="/memory"
        search={(before) => ({ ...before, item: id })}
        data-row-link
        className={`font-medium ${rowLinkClass}`}
      >
        {startOfLine(intent)}
      </Link>
    ),
  },
  { id: 'type', header: 'Kind', width: '8rem', narrow: null, cell: ({ type }) => <Tag>{kinds[type]}</Tag> },
  {
    id: 'score',
    header: 'Success',
    width: '4.5rem',
    narrow: null,
    cell: ({ successScore }) => <span className={quiet}>{Math.round(successScore * WHOLE)}%</span>,
  },
  {
    id: 'uses',
    header: 'Used',
    width: '4rem',
    narrow: null,
    cell: ({ useCount }) => <span className={quiet}>{useCount}×</span>,
  },
  {
    id: 'created',
    header: 'Learned',
    width: '5rem',
    narrow: '3.75rem',
    cell: ({ createdAt }) => <When at={createdAt} className={`relative z-1 ${quiet}`} />,
  },
]
