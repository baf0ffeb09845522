import type { ReactNode } from 'react'
import { AdminsOnly } from '../../components/admins-only.tsx'
import { Empty } from '../../components/empty.tsx'
import { useAuthMode } from '../../data/session.ts'

export const AccountsOnly = ({ what, children }: { what: string; children: ReactNode }) => {
  const mode = useAuthMode()
  if (mode === 'local')
    return (
      <Empty title="This installation has no accounts">
        In local mode the access key makes its bearer the admin. With AUTH_MODE=cloud or oidc people have
        accounts of their own.
      </Empty>
    )
  return <AdminsOnly what={what}>{children}</AdminsOnly>
}
