import type { ReactNode } from 'react'
import { AdminsOnly } from '../../components/admins-only.tsx'
import { Empty } from '../../components/empty.tsx'
import { useAuthMode } from '../../data/session.ts'

export const AccountsOnly = ({ what, children }: { what: string; children: ReactNode }) => {
  const mode = useAuthMode()
  if (mode === 'local')
    return (
      <Empty title="This installation has no accounts">
        Anyone with the access key is the admin. For user accounts, set AUTH_MODE to cloud or oidc.
      </Empty>
    )
  return <AdminsOnly what={what}>{children}</AdminsOnly>
}
