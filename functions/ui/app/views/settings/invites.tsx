import type { ReactNode } from 'react'
import { Confirm } from '../../components/confirm.tsx'
import { Empty } from '../../components/empty.tsx'
import { Facts } from '../../components/facts.tsx'
import { Pager } from '../../components/pager.tsx'
import { Person } from '../../components/person.tsx'
import { Problem } from '../../components/problem.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useDeleteInvite, useInvites } from '../../data/accounts.ts'
import { usePage } from '../../data/page.ts'
import { AccountsOnly } from './accounts-only.tsx'
import { InviteForm } from './invite-form.tsx'

export const Invites = (): ReactNode => (
  <AccountsOnly what="Invites are">
    <InviteForm />
    <List />
  </AccountsOnly>
)

const List = () => {
  const paging = usePage()
  const { data, error, refetch } = useInvites(paging.query)
  return (
    <Panel title="Invites" aside={<span className="text-muted-foreground">{data?.total}</span>}>
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows count={4} />}
      {data?.total === 0 && <Empty title="No invites yet">Each lets one person make an account.</Empty>}
      {data && data.total > 0 && (
        <Rows label="Invites">
          {data.invites.map((invite) => (
            <InviteRow key={invite.id} {...invite} />
          ))}
        </Rows>
      )}
      <Pager paging={paging} total={data?.total} />
    </Panel>
  )
}

type Invite = NonNullable<ReturnType<typeof useInvites>['data']>['invites'][number]

const inviteStatus = ({ usedAt, expiresAt }: Invite) => {
  if (usedAt !== undefined) return <Tag tone="good">Used</Tag>
  return Date.parse(expiresAt) <= Date.now() ? <Tag tone="bad">Expired</Tag> : <Tag tone="warn">Open</Tag>
}

const InviteRow = (invite: Invite) => {
  const { id, email, createdAt, expiresAt, usedAt, usedBy } = invite
  const { mutateAsync } = useDeleteInvite()
  const whom = email ?? 'anyone with the code'
  return (
    <Row
      title={`For ${whom}`}
      aside={inviteStatus(invite)}
      meta={
        <Facts
          facts={[
            <>
              made <When at={createdAt} />
            </>,
            usedAt ? (
              <>
                used <When at={usedAt} /> by {usedBy && <Person id={usedBy} />}
              </>
            ) : (
              <>
                ends <When at={expiresAt} />
              </>
            ),
          ]}
        />
      }
      actions={
        <Confirm verb="Delete" title={`Delete the invite for ${whom}`} onConfirm={() => mutateAsync(id)}>
          Its code is no longer accepted. An account that was made with it stays.
        </Confirm>
      }
    />
  )
}
