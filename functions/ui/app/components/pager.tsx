import { ChevronLeft, ChevronRight } from 'lucide-react'
import { PAGE_ROWS, type Paging } from '../data/page.ts'
import { Button } from './button.tsx'
import { formatNumber } from './format.ts'

export const Pager = ({ paging, total }: { paging: Paging; total: number | undefined }) => {
  const { number, show } = paging
  if (total === undefined || (total <= PAGE_ROWS && number === 1)) return null
  const first = (number - 1) * PAGE_ROWS + 1
  const last = Math.min(total, number * PAGE_ROWS)
  return (
    <nav aria-label="Pages" className="flex shrink-0 items-center justify-end gap-1 border-t px-3.5 py-1.5">
      <span className="pr-2 text-muted-foreground">
        {first > total ? 'none' : `${formatNumber(first)}–${formatNumber(last)}`} of {formatNumber(total)}
      </span>
      <Button
        kind="ghost"
        size="icon"
        aria-label="Newer"
        disabled={number === 1}
        onClick={() => show(number - 1)}
      >
        <ChevronLeft size={16} />
      </Button>
      <Button
        kind="ghost"
        size="icon"
        aria-label="Older"
        disabled={last >= total}
        onClick={() => show(number + 1)}
      >
        <ChevronRight size={16} />
      </Button>
    </nav>
  )
}
