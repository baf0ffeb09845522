import type { ReactNode } from 'react'
import { Confirm } from '../../components/confirm.tsx'
import { Empty } from '../../components/empty.tsx'
import { Facts } from '../../components/facts.tsx'
import { PagedRows } from '../../components/paged-rows.tsx'
import { Person } from '../../components/person.tsx'
import { Row } from '../../components/rows.tsx'
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
  const query = useInvites(paging.query)
  return (
    <Panel title="Invites">
      <PagedRows
        label="Invites"
        query={query}
        paging={paging}
        getItems={({ invites }) => invites}
        empty={<Empty title="No invites yet">An invite lets one person create an account.</Empty>}
      >
        {(invite) => <InviteRow {...invite} />}
      </PagedRows>
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
  const whom = email ?? 'anyone with the link'
  return (
    <Row
      title={`For ${whom}`}
      aside={inviteStatus(invite)}
      meta={
        <Facts
          facts={[
            <>
              created <When at={createdAt} />
            </>,
            usedAt ? (
              <>
                used <When at={usedAt} /> by {usedBy && <Person id={usedBy} />}
              </>
            ) : (
              <>
                expires <When at={expiresAt} />
              </>
            ),
          ]}
        />
      }
      actions={
        <Confirm verb="Delete" title={`Delete the invite for ${whom}`} onConfirm={() => mutateAsync(id)}>
          Its code stops working. An account created with it stays.
        </Confirm>
      }
    />
  )
}
