import type { ReactNode } from 'react'

type Props = { title: string; aside?: ReactNode; children: ReactNode }

export const Section = ({ title, aside, children }: Props) => (
  <section aria-label={title} className="min-w-0">
    <div className="flex min-h-9 items-center justify-between gap-2 px-3.5 pt-1.5">
      <h2 className="font-semibold">{title}</h2>
      {aside}
    </div>
    {children}
  </section>
)
