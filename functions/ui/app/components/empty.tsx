import type { ReactNode } from 'react'
import { Command } from './copy.tsx'

type Props = {
  title: string
  children?: ReactNode
  /** The one button or link that ends the emptiness. */
  action?: ReactNode
  /** The same for scripts. */
  curl?: string
}

export const Empty = ({ title, children, action, curl }: Props) => (
  <div className="mx-auto flex w-full max-w-xl flex-col items-center gap-3 px-4 py-12 text-center">
    <p className="text-base font-medium">{title}</p>
    {children && <div className="max-w-md text-balance text-muted-foreground">{children}</div>}
    {action}
    {curl && (
      <details className="flex w-full flex-col items-center">
        <summary className="mx-auto w-fit rounded text-xs text-muted-foreground hover:text-foreground">
          From a script
        </summary>
        <div className="pt-2.5">
          <Command text={curl} />
        </div>
      </details>
    )}
  </div>
)
