import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Toasts } from './components/toast.tsx'
import { followNotifications } from './data/alerts.ts'
import { watchConnection } from './data/connection.ts'
import { followChanges } from './data/live-events.ts'
import { catchUp, queryClient, watchQueries } from './data/query-client.ts'
import { linkedFrom } from './data/way-back.ts'
import { router } from './router.ts'

watchConnection()
catchUp()
watchQueries()
followChanges()
followNotifications((path) => router.history.push(path))

const left = linkedFrom()
if (left !== undefined) router.history.replace(left)

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  )
