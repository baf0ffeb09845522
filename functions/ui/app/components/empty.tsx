import type { ReactNode } from 'react'
import { Command } from './copy.tsx'

type Props = { title: string; children?: ReactNode; curl?: string }

export const Empty = ({ title, children, curl }: Props) => (
  <div className="mx-auto flex w-full max-w-xl flex-col items-center gap-3 px-4 py-12 text-center">
    <p className="text-base font-medium">{title}</p>
    {children && <div className="text-muted-foreground">{children}</div>}
    {curl && <Command text={curl} />}
  </div>
)
