import type { ReactNode } from 'react'

type Props = {
  label: string
  className: string
  children: ReactNode
  /** A region is a landmark, whose name no other one has; groups may have the same name. */
  role?: 'region' | 'group'
}

/** What scrolls within a view, within reach of the keyboard. */
export const Scroller = ({ label, className, children, role = 'region' }: Props) => (
  <section role={role} aria-label={label} tabIndex={0} className={className}>
    {children}
  </section>
)
