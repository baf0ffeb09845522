import { Link } from '@tanstack/react-router'
import { useMe } from '../data/me.ts'

export const NoProvider = () =>
  useMe()?.role === 'admin' ? (
    <>
      Add a model key under{' '}
      <Link to="/settings/models" className="font-medium text-foreground underline underline-offset-2">
        Settings, Models
      </Link>
      .
    </>
  ) : (
    <>Ask an admin to add a model key under Settings, Models.</>
  )
