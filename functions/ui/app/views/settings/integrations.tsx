import type { ReactNode } from 'react'
import { useMe } from '../../data/me.ts'
import { Accounts } from './accounts.tsx'
import { Reporting } from './reporting.tsx'
import { WebSearch } from './web-search.tsx'

export const Integrations = (): ReactNode => {
  const isAdmin = useMe()?.role === 'admin'
  return (
    <>
      <Accounts isAdmin={isAdmin} />
      {isAdmin && <Reporting />}
      <WebSearch isAdmin={isAdmin} />
    </>
  )
}
