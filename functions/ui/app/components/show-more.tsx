import { Button } from './button.tsx'
import { formatNumber } from './format.ts'

export const ShowMore = ({ letters, onMore }: { letters: number; onMore: () => void }) => (
  <span className="mt-3 flex flex-wrap items-center gap-2 font-sans text-sm">
    <Button size="small" onClick={onMore}>
      Show more
    </Button>
    <span className="text-muted-foreground">{formatNumber(letters)} characters hidden</span>
  </span>
)
