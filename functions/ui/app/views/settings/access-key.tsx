import { type ReactNode, useState } from 'react'
import { AdminsOnly } from '../../components/admins-only.tsx'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Empty } from '../../components/empty.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { useAuthMode, useChangeAccessKey, useNeedsSignIn } from '../../data/session.ts'

export const AccessKey = (): ReactNode => {
  const mode = useAuthMode()
  const hasKey = useNeedsSignIn()
  if (mode === undefined || hasKey === undefined) return <SkeletonRows />
  if (mode !== 'local')
    return <Empty title="This installation has no access key">Users sign in with their own accounts.</Empty>
  return (
    <AdminsOnly what="The access key is">
      <Panel title="Access key">
        <KeyForm hasKey={hasKey} />
      </Panel>
    </AdminsOnly>
  )
}

const KeyForm = ({ hasKey }: { hasKey: boolean }) => {
  const { mutate, mutateAsync, error, isPending } = useChangeAccessKey()
  const [round, setRound] = useState(0)
  const save = (key: string) =>
    mutate(key, {
      onSuccess: () => {
        setRound(round + 1)
        toast.done('Access key set', 'You stay signed in. Everyone else signs in with the new key.')
      },
    })
  return (
    <Form
      key={round}
      label="Access key"
      error={error}
      onSend={({ key = '' }) => save(key)}
      className="flex flex-col gap-3 p-3.5"
    >
      <p className="text-muted-foreground">
        {hasKey
          ? 'Everyone signs in with this key. Changing it revokes all other sessions. Paired devices stay.'
          : 'Sign-in is off. Anyone on this machine is an admin.'}
      </p>
      <input type="text" name="username" autoComplete="username" value="access-key" readOnly hidden />
      <TextField
        label={hasKey ? 'New access key' : 'Access key'}
        name="key"
        type="password"
        autoComplete="new-password"
        required
        error={fieldErrors(error).key}
        hint="At least 6 characters."
      />
      <Refusal error={error} fields={['key']} />
      <div className="flex gap-2">
        <Button kind="primary" type="submit" disabled={isPending}>
          {hasKey ? 'Change key' : 'Set key'}
        </Button>
        {hasKey && (
          <Confirm
            verb="Remove key"
            title="Remove the access key"
            size="normal"
            onConfirm={() => mutateAsync(null)}
          >
            This turns sign-in off. Anyone on this machine becomes an admin.
          </Confirm>
        )}
      </div>
    </Form>
  )
}
