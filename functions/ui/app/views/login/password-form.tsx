import { EmailField, PasswordField } from '../../components/account-fields.tsx'
import { Button } from '../../components/button.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { useLogin } from '../../data/session.ts'
import { ToOther } from './to-other.tsx'
import { useWayBack } from './way-back.ts'

const FIELDS = ['email', 'password']

export const PasswordForm = () => {
  const { mutate, error, isPending } = useLogin()
  const { goBack } = useWayBack()
  const wrong = fieldErrors(error)
  return (
    <Form
      label="Sign in"
      error={error}
      onSend={({ email = '', password = '' }) => mutate({ email, password }, { onSuccess: goBack })}
    >
      <EmailField autoFocus error={wrong.email} className="h-9" />
      <PasswordField error={wrong.password} className="h-9" />
      <Refusal error={error} fields={FIELDS} />
      <Button kind="primary" type="submit" disabled={isPending} className="h-9 justify-center">
        Sign in
      </Button>
      <p className="text-center text-muted-foreground">
        <ToOther to="/reset">Forgot your password?</ToOther>
      </p>
    </Form>
  )
}
