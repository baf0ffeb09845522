import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Facts } from '../../components/facts.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { Row } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { toast } from '../../components/toast.tsx'
import { When } from '../../components/when.tsx'
import { type ListedUser, type UserChange, useChangeUser } from '../../data/accounts.ts'
import { useMe } from '../../data/me.ts'
import { ResetCode } from './reset-code.tsx'
import { UnlinkDialog } from './unlink.tsx'

export const UserRow = ({ user }: { user: ListedUser }) => {
  const { id, name, email, disabled, createdAt } = user
  const isMe = useMe()?.id === id
  return (
    <Row
      title={name}
      aside={
        <>
          {disabled && <Tag tone="bad">Disabled</Tag>}
          {isMe && <Tag>You</Tag>}
        </>
      }
      meta={
        <Facts
          facts={[
            email,
            createdAt && (
              <>
                joined <When at={createdAt} />
              </>
            ),
          ]}
        />
      }
      actions={
        <>
          <RoleSelect user={user} />
          <ResetCode user={user} />
          <UnlinkDialog user={user} />
          <Ban user={user} />
        </>
      }
    />
  )
}

type Props = { user: ListedUser }

const RoleSelect = ({ user: { id, name, role } }: Props) => {
  const { mutate, isPending } = useChangeUser(id)
  const change = (next: UserChange['role']) =>
    mutate(
      { role: next },
      {
        onSuccess: () => void toast.done(`${name} is now ${next === 'admin' ? 'an admin' : 'a user'}`),
        onError: (error) => void toast.failed(`Role of ${name} not changed`, errorMessage(error)),
      },
    )
  return (
    <select
      aria-label={`Role of ${name}`}
      className="h-7 rounded-md border border-input bg-background px-1.5"
      value={role}
      disabled={isPending}
      onChange={({ target }) => change(target.value as UserChange['role'])}
    >
      <option value="user">User</option>
      <option value="admin">Admin</option>
    </select>
  )
}

const Ban = ({ user: { id, name, disabled } }: Props) => {
  const { mutateAsync, mutate, isPending } = useChangeUser(id)
  if (disabled)
    return (
      <Button
        needsService
        size="small"
        aria-label={`Enable ${name}`}
        disabled={isPending}
        onClick={() =>
          mutate(
            { disabled: false },
            {
              onSuccess: () => void toast.done(`${name} can sign in again`),
              onError: (error) => void toast.failed(`${name} is still disabled`, errorMessage(error)),
            },
          )
        }
      >
        Enable
      </Button>
    )
  return (
    <Confirm verb="Disable" title={`Disable ${name}`} onConfirm={() => mutateAsync({ disabled: true })}>
      All sessions and paired devices of {name} are revoked, and the account cannot sign in until you enable
      it. Tasks stay.
    </Confirm>
  )
}
