import type { ReactNode } from 'react'

type Props = {
  label: string
  className: string
  children: ReactNode
  /** A region is a landmark and needs a unique name; groups may share one. */
  role?: 'region' | 'group'
}

/** A scroll area that the keyboard can reach. */
export const Scroller = ({ label, className, children, role = 'region' }: Props) => (
  <section role={role} aria-label={label} tabIndex={0} className={className}>
    {children}
  </section>
)
