import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
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
        label="Change the password"
        error={error}
        onSend={({ currentPassword = '', newPassword = '' }) =>
          mutate(
            { currentPassword, newPassword },
            {
              onSuccess: () => {
                setRound(round + 1)
                toast.done(
                  'The password is changed',
                  'You stay signed in here; everything else is signed out.',
                )
              },
            },
          )
        }
        className="flex flex-col gap-3 p-3.5"
      >
        <p className="text-muted-foreground">
          A new password ends all other sessions and those of paired devices. API tokens stay.
        </p>
        {/* Password managers store a password with a user name. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <div className="flex flex-wrap gap-3 [&>*]:basis-60">
          <TextField
            label="Current password"
            name="currentPassword"
            type="password"
            autoComplete="current-password"
            required
            error={wrong.currentPassword}
          />
          <TextField
            label="New password"
            name="newPassword"
            type="password"
            autoComplete="new-password"
            required
            error={wrong.newPassword}
            hint="At least 8 characters, a letter and a number among them."
          />
        </div>
        <Refusal error={error} fields={FIELDS} />
        <div>
          <Button kind="primary" type="submit" disabled={isPending}>
            Change the password
          </Button>
        </div>
      </Form>
    </Panel>
  )
}
