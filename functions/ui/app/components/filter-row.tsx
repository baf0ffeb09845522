import { ListFilter } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'

type Props = {
  /** How many filters are set. */
  active: number
  /** What the list has. */
  status: ReactNode
  children: ReactNode
}

/** The filters of a list; on a phone behind a button. */
export const FilterRow = ({ active, status, children }: Props) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b px-4 py-2 md:px-6">
      <Button size="small" className="md:hidden" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ListFilter size={14} /> Filter{active > 0 && ` (${active})`}
      </Button>
      <span className="ml-auto text-muted-foreground md:order-last" role="status">
        {status}
      </span>
      <div className={`contents ${isOpen ? '' : 'max-md:hidden'}`}>{children}</div>
    </div>
  )
}
