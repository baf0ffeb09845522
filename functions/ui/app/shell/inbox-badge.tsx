import { useInboxCounts } from '../data/inbox.ts'

const MOST_SHOWN = 99

/** The number of open items of the user; red while one of them is a call that waits for approval. */
export const InboxBadge = () => {
  const counts = useInboxCounts()
  if (counts === undefined || counts.open === 0) return null
  const approvals = counts.ofKind.approval ?? 0
  return (
    <span
      className={`ml-auto min-w-4.5 rounded-full px-1 text-center text-[0.6875rem] leading-4.5 font-semibold ${approvals > 0 ? 'bg-destructive text-background' : 'bg-muted text-foreground'}`}
    >
      {counts.open > MOST_SHOWN ? `${MOST_SHOWN}+` : counts.open}
      <span className="sr-only"> open{approvals > 0 && `, ${approvals} waiting for approval`}</span>
    </span>
  )
}
