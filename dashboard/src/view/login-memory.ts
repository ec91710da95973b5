// Remembers whether this browser has logged in, for the logout button: the cookie is HttpOnly.
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
