import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { useVerifyAccessKey } from '../../data/session.ts'
import { useWayBack } from './way-back.ts'

/** In local mode the key signs in as the local admin. */
export const AccessKeyForm = () => {
  const { mutate, error, isPending } = useVerifyAccessKey()
  const { goBack } = useWayBack()
  return (
    <Form label="Sign in" error={error} onSend={({ key = '' }) => mutate(key, { onSuccess: goBack })}>
      {/* Password managers store a password with a user name. */}
      <input type="text" name="username" autoComplete="username" value="access-key" readOnly hidden />
      <TextField
        label="Access key"
        name="key"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        error={fieldErrors(error).key}
        hint="Ask an admin if you do not have it."
        className="h-9"
      />
      <Refusal error={error} fields={['key']} />
      <Button kind="primary" type="submit" disabled={isPending} className="h-9 justify-center">
        Sign in
      </Button>
    </Form>
  )
}
