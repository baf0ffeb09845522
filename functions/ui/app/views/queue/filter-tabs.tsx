import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import type { DlqCounts } from '../../../../../lib/queue/schema.ts'
import { filterNames, filters } from './filters.ts'

type Props = { counts: DlqCounts | undefined; fingerprint: string | undefined }

export const FilterTabs = ({ counts, fingerprint }: Props) => (
  <nav
    aria-label="Dead letters by state"
    className="flex min-h-12 shrink-0 items-center gap-1 overflow-x-auto border-b px-4 md:px-6"
  >
    {filterNames.map((name) => (
      <Link
        key={name}
        to="/tasks/queue"
        search={{
          status: name === 'pending' ? undefined : name,
          ...(fingerprint === undefined ? {} : { fingerprint }),
        }}
        // The address without parameters is a tab of its own.
        activeOptions={{ explicitUndefined: true }}
        className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-muted-foreground hover:bg-accent hover:text-foreground aria-[current=page]:bg-accent aria-[current=page]:font-medium aria-[current=page]:text-foreground"
      >
        {filters[name]}
        <span className="min-w-2 font-normal text-muted-foreground">
          {counts?.[name === 'all' ? 'total' : name]}
        </span>
      </Link>
    ))}
    {fingerprint !== undefined && (
      <Link
        to="/tasks/queue"
        search={({ fingerprint: _, ...rest }) => rest}
        className="ml-auto inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-muted-foreground hover:bg-accent"
      >
        <X size={14} /> One cause
      </Link>
    )}
  </nav>
)
