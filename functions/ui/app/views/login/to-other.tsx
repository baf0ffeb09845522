import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAsked } from './way-back.ts'

/** Keeps `from` and `invite` between sign-in, sign-up and reset. */
export const ToOther = ({ to, children }: { to: '/login' | '/signup' | '/reset'; children: ReactNode }) => {
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
