import type { ReactNode } from 'react'
import { Pager } from '../../components/pager.tsx'
import { Problem } from '../../components/problem.tsx'
import { Rows } from '../../components/rows.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
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
  const { data, error, refetch } = useUsers(paging.query)
  return (
    <Panel title="Users" aside={<span className="text-muted-foreground">{data?.total}</span>}>
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows count={5} />}
      {data && (
        <Rows label="Users">
          {data.users.map((user) => (
            <UserRow key={user.id} user={user} />
          ))}
        </Rows>
      )}
      <Pager paging={paging} total={data?.total} />
    </Panel>
  )
}
