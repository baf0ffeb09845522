import type { ReactNode } from 'react'
import { PagedRows } from '../../components/paged-rows.tsx'
import { Panel } from '../../components/view.tsx'
import { useUsers } from '../../data/accounts.ts'
import { usePage } from '../../data/page.ts'
import { AccountsOnly } from './accounts-only.tsx'
import { UserRow } from './user-row.tsx'

export const Users = (): ReactNode => (
  <AccountsOnly what="Accounts are">
    <List />
  </AccountsOnly>
)

const List = () => {
  const paging = usePage()
  const query = useUsers(paging.query)
  return (
    <Panel title="Users">
      <PagedRows label="Users" query={query} paging={paging} getItems={({ users }) => users}>
        {(user) => <UserRow user={user} />}
      </PagedRows>
    </Panel>
  )
}
