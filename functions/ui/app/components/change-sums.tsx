import { formatNumber } from './format.ts'

/** The added and removed lines of changes, `+12 −4`. */
export const ChangeSums = ({ additions, deletions }: { additions: number; deletions: number }) => (
  <span className="flex shrink-0 gap-1.5 font-mono text-xs">
    <span className="text-completed">+{formatNumber(additions)}</span>
    <span className="text-failed">−{formatNumber(deletions)}</span>
  </span>
)
