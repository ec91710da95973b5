// Remembers whether this browser has logged in, because scripts cannot read the HttpOnly cookie. Only the
// logout button depends on it.
const KEY = 'toolscope.loggedIn';

export function writeLoginState(isIn: boolean): void {
  try {
    if (isIn) localStorage.setItem(KEY, 'true');
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is unavailable; the cookie expires by itself within a week.
  }
}

export function isLoggedIn(): boolean {
  try {
    return localStorage.getItem(KEY) === 'true';
  } catch {
    return false;
  }
}
