import type { ReactNode } from 'react'

const tones = {
  plain: 'bg-muted text-muted-foreground',
  good: 'bg-completed/12 text-completed',
  warn: 'bg-queued/14 text-queued',
  bad: 'bg-failed/12 text-failed',
  live: 'bg-running/12 text-running',
} as const

export type Tone = keyof typeof tones

export const Tag = ({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) => (
  <span
    className={`inline-flex h-5 max-w-full items-center rounded px-1.5 text-xs font-medium ${tones[tone]}`}
  >
    <span className="truncate">{children}</span>
  </span>
)
