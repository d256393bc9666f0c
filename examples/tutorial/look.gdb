break set_requests
continue
print requests
continue
print requests
heddle events 6
