import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAsked } from './way-back.ts'

/** From the sign-in to the sign-up and back, with where the person wanted to be. */
export const ToOther = ({ to, children }: { to: '/login' | '/signup'; children: ReactNode }) => {
  const { from, invite } = useAsked()
  return (
    <Link
      to={to}
      search={{ from, invite } as never}
      className="rounded text-foreground underline underline-offset-4"
    >
      {children}
    </Link>
  )
}
