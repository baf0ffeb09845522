import { useState } from 'react'
import { PasswordField } from '../../components/account-fields.tsx'
import { Button } from '../../components/button.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { useChangePassword } from '../../data/accounts.ts'

const FIELDS = ['currentPassword', 'newPassword']

export const PasswordChange = ({ email }: { email: string }) => {
  const { mutate, error, isPending } = useChangePassword()
  const [round, setRound] = useState(0)
  const wrong = fieldErrors(error)
  return (
    <Panel title="Password">
      <Form
        key={round}
        label="Change password"
        error={error}
        onSend={({ currentPassword = '', newPassword = '' }) =>
          mutate(
            { currentPassword, newPassword },
            {
              onSuccess: () => {
                setRound(round + 1)
                toast.done('Password changed', 'You stay signed in here and are signed out everywhere else.')
              },
            },
          )
        }
        className="flex flex-col gap-3 p-3.5"
      >
        <p className="text-muted-foreground">
          Changing it revokes all other sessions, including those of paired devices. API tokens stay.
        </p>
        {/* Password managers store a password with a user name. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <div className="flex flex-wrap gap-3 [&>*]:basis-60">
          <PasswordField label="Current password" name="currentPassword" error={wrong.currentPassword} />
          <PasswordField label="New password" name="newPassword" isNew error={wrong.newPassword} />
        </div>
        <Refusal error={error} fields={FIELDS} />
        <div>
          <Button kind="primary" type="submit" disabled={isPending}>
            Change password
          </Button>
        </div>
      </Form>
    </Panel>
  )
}
