def compare(b,s,d): return 'none'
def kill_renders(b,s,d): return 'none'
def look(b,s,d): return 'none'
