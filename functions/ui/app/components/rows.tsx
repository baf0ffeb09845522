import type { ReactNode } from 'react'

export const Rows = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul aria-label={label} className="divide-y">
    {children}
  </ul>
)

type Props = { title: ReactNode; aside?: ReactNode; meta: ReactNode; actions?: ReactNode }

export const Row = ({ title, aside, meta, actions }: Props) => (
  <li className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1.5 px-3.5 py-2">
    <div className="min-w-0 flex-1 basis-60">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <span className="min-w-0 truncate font-medium">{title}</span>
        {aside}
      </div>
      <div className="min-w-0 text-muted-foreground [overflow-wrap:anywhere]">{meta}</div>
    </div>
    {actions && <div className="flex items-center gap-2">{actions}</div>}
  </li>
)
